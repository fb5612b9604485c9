#!/bin/sh
# Flags alone are for TGI's launcher; everything else is a whole command.
case $1 in -*) set -- text-generation-launcher "$@" ;; esac
exec "$@"
