"""“Say something” to a deployment: one prompt at a time, its answer whole, with its times."""

from concurrent.futures import Future
from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal

from app.core.deployment.answers import ChatAnswer
from app.core.errors import ErrorInfo
from app.core.events import DeploymentSnapshot
from app.ui.bridge import CoreBridge
from app.ui.viewmodels.base import ViewModel
from app.ui.viewmodels.deployments_texts import ChatView, answer_facts

if TYPE_CHECKING:
    from app.bootstrap import Application


class Conversation(ViewModel):
    """Send prompts and show how it stands with the last one."""

    changed = Signal(str, object)
    """``HOST/NAME`` of the deployment that was asked, and the `ChatView` of it."""

    def __init__(
        self, app: "Application", bridge: CoreBridge, parent: QObject | None = None
    ) -> None:
        super().__init__(bridge, parent)
        self._app = app
        self._waiting: Future[ChatAnswer] | None = None

    def say(self, asked: DeploymentSnapshot, prompt: str, max_tokens: int) -> None:
        """Send one prompt."""
        self.changed.emit(asked.ref, ChatView(prompt=prompt, is_waiting=True))
        failed = partial(self._on_error, asked.ref, prompt)
        self._waiting = self.run(
            self._app.deployments.chat(asked.host_id, asked.name, prompt, max_tokens=max_tokens),
            on_result=partial(self._on_answer, asked.ref, prompt),
            on_error=failed,
            on_cancel=partial(failed, None),
        )

    def cancel(self) -> bool:
        """Wait no longer for an answer; True when one was waited for."""
        return self._waiting is not None and self._waiting.cancel()

    def _on_answer(self, ref: str, prompt: str, answer: ChatAnswer) -> None:
        view = ChatView(prompt=prompt, answer=answer.text.strip(), facts=answer_facts(answer))
        self.changed.emit(ref, view)

    def _on_error(self, ref: str, prompt: str, error: ErrorInfo | None) -> None:
        self.changed.emit(ref, ChatView(prompt=prompt, error=error))
