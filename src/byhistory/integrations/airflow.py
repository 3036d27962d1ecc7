"""Airflow 3: an operator and a decorator; a run that is to be stopped fails the task, and what follows does not run."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from byhistory.integrations.command import HERE, Checked, Command, check

if TYPE_CHECKING:
    from airflow.sdk import Context

WHAT = ("table", "run", "status", "level", "sentence", "report")
"""What goes to XCom: small, and enough to branch on."""


def provider_info() -> dict[str, Any]:
    """What Airflow asks a provider for (entry point `apache_airflow_provider`)."""
    here = "byhistory.integrations.airflow"
    return {
        "package-name": "byhistory",
        "name": "byhistory",
        "description": "Is this run of a table as usual, judged by its own past runs?",
        "task-decorators": [{"name": "byhistory", "class-name": f"{here}.check_task"}],
        "extra-links": [f"{here}.ReportLink"],
    }


def __getattr__(name: str) -> Any:
    """The classes are made when they are first asked for: Airflow reads `provider_info` in every process it starts."""
    if name not in ("ByHistoryOperator", "ReportLink", "check_task"):
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    globals().update(_made())
    return globals()[name]


def _made() -> dict[str, Any]:
    from airflow.sdk import BaseOperator, BaseOperatorLink
    from airflow.sdk.bases.decorator import DecoratedOperator, determine_kwargs, task_decorator_factory
    from airflow.sdk.definitions._internal.types import SET_DURING_EXECUTION
    from airflow.sdk.definitions.context import context_merge

    class ReportLink(BaseOperatorLink):  # type: ignore[misc]  # Airflow is not installed where types are checked
        """A button on the task that leads to the page about its run."""

        name = "byhistory report"

        @property
        def xcom_key(self) -> str:
            return "byhistory_report"

        def get_link(self, operator: Any, *, ti_key: Any) -> str:  # noqa: ARG002 - Airflow's own signature
            return str(operator.report)  # asked when the task has ended, and kept in XCom for the button

    class ByHistoryOperator(BaseOperator):  # type: ignore[misc]  # as above
        """Judge a run of a table; fail without another try if it is to be stopped.

        `run` is a template and has no default: runs that an asset triggers have no logical date. A warning is logged
        as one and shown in XCom (`level`) and in the events of the task's outlets.
        """

        template_fields: Sequence[str] = ("table", "path", "run_label", "options", "store", "config", "reports")
        operator_extra_links = (ReportLink(),)
        ui_color = "#e8f2ec"

        def __init__(
            self,
            *,
            table: str,
            run: str,
            path: str = "",
            options: Sequence[str] = (),
            store: str = "",
            config: str = "",
            program: Sequence[str] = HERE,
            reports: str = "",
            reports_url: str = "",
            **kwargs: Any,
        ) -> None:
            super().__init__(**kwargs)
            self.table, self.path, self.options = table, path, list(options)
            self.run_label = run  # an attribute named `run` would hide Airflow's own
            self.store, self.config, self.program = store, config, tuple(program)
            self.reports, self.reports_url = reports, reports_url
            self.report = ""  # where the page about the run is, once there is one

        def command(self) -> Command:
            """The check as it would be typed, with all templates filled in."""
            given = (self.table, self.path, self.run_label, tuple(self.options), self.store, self.config)
            return Command(*given, self.program, self.reports, self.reports_url)

        def execute(self, context: Context) -> dict[str, str]:
            return _judged(self, self.command(), context)

    class DecoratedByHistoryOperator(DecoratedOperator, ByHistoryOperator):  # type: ignore[misc]  # as above
        """`@task.byhistory`: the function writes a run and returns its path (or `{"path": …, "run": …}`)."""

        template_fields: Sequence[str] = (*DecoratedOperator.template_fields, *ByHistoryOperator.template_fields)
        custom_operator_name = "@task.byhistory"

        def __init__(self, *, table: str, run: str = SET_DURING_EXECUTION, **kwargs: Any) -> None:
            super().__init__(table=table, run=run, **kwargs)

        def execute(self, context: Context) -> dict[str, str]:
            context_merge(context, self.op_kwargs)
            arguments = determine_kwargs(self.python_callable, self.op_args, context)
            returned = self.python_callable(*self.op_args, **arguments)
            changes: dict[str, Any] = (
                dict(returned) if isinstance(returned, dict) else {} if returned is None else {"path": str(returned)}
            )
            return _judged(self, replace(self.command(), **changes), context)

    def check_task(python_callable: Callable[..., Any] | None = None, **kwargs: Any) -> Any:
        """Decorate a function that writes a run: what it wrote is checked before anything that follows sees it."""
        return task_decorator_factory(
            python_callable=python_callable, decorated_operator_class=DecoratedByHistoryOperator, **kwargs
        )

    made: tuple[Any, ...] = (ByHistoryOperator, DecoratedByHistoryOperator, ReportLink, check_task)
    for value in made:  # Airflow names and loads them by their place
        value.__module__, value.__qualname__ = __name__, value.__name__
    return {value.__name__: value for value in made}


def _judged(operator: Any, command: Command, context: Context) -> dict[str, str]:
    from airflow.sdk.exceptions import AirflowFailException

    checked = check(command, operator.log.info)
    result = {name: str(getattr(checked, name)) for name in WHAT}
    _mark(operator, checked, result, context)
    if checked.is_stopped:  # trying again would judge the same rows again
        context["ti"].xcom_push(key="return_value", value=result)
        raise AirflowFailException(checked.sentence)
    return result


def _mark(operator: Any, checked: Checked, result: dict[str, str], context: Context) -> None:
    operator.report = checked.report
    if checked.level == "warn":
        operator.log.warning(checked.sentence)
    for asset in operator.outlets:
        context["outlet_events"][asset].extra = {"byhistory": result}
