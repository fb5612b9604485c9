"""The last look before deploying: exactly what will be created, and where."""

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFormLayout, QWidget

from app.core.deployment.spec import DeploymentSpec
from app.ui.icons import IconSet
from app.ui.theme import Theme, letters, space
from app.ui.viewmodels.plan_spec import present_spec
from app.ui.viewmodels.plan_state import PlanState
from app.ui.widgets.dialog import FormDialog
from app.ui.widgets.text import ElidedLabel, MonoBlock, label


class DeploySheet(FormDialog):
    """Show a resolved plan; Deploy starts it."""

    def __init__(
        self,
        icons: IconSet,
        theme: Theme,
        parent: QWidget | None,
        *,
        spec: DeploymentSpec,
        state: PlanState,
        docker_run: str,
    ) -> None:
        super().__init__(icons, parent)
        self.spec = spec
        self.set_picture("rocket", "accent")
        title = self.tr("Deploy {name} on {host}?").format(name=spec.name, host=state.host_name)
        self.set_words(title, self.tr("Deploy"), self.tr("Cancel"))
        if spec.simulated:
            badge = label("badge", self.tr("Simulated: nothing runs on real hardware."))
            self.body.addWidget(badge, 0, Qt.AlignmentFlag.AlignLeft)
        facts = QWidget()
        form = QFormLayout(facts)
        form.setContentsMargins(0, 0, 0, 0)
        form.setVerticalSpacing(space(1))
        form.setHorizontalSpacing(space(4))
        for name, value in present_spec(spec, state):
            shown = ElidedLabel(value)
            shown.setAccessibleName(f"{name}: {value}")
            form.addRow(label("muted", name), shown)
        self.body.addWidget(facts)
        self.body.addWidget(
            label(
                "muted",
                self.tr(
                    "The image is fetched where it is missing, then one request is answered before "
                    "it counts as serving. A start that fails leaves no container behind."
                ),
                wrap=True,
            )
        )
        self.command = MonoBlock(theme)
        self.command.setPlainText(docker_run)
        self.command.setAccessibleName(self.tr("Container as docker run"))
        self.command.setMinimumHeight(self.command.fontMetrics().height() * 10)
        self.body.addWidget(self.command, 1)
        self.setMinimumWidth(letters(self.font(), 96))
