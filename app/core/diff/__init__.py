"""What differs between two hosts or deployments, and what each difference means."""
