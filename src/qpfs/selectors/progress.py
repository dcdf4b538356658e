"""Progress through scikit-learn's callbacks, where the installed version has them (1.9 and later)."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, TypeVar

Method = TypeVar("Method", bound=Callable[..., Any])

if TYPE_CHECKING:  # scikit-learn has no types: with its own decorator, `fit` would return anything
    from sklearn.callback import CallbackSupportMixin

    def with_callbacks(method: Method) -> Method: ...

else:
    try:
        from sklearn.callback import CallbackSupportMixin, with_callbacks
    except ImportError:

        class CallbackSupportMixin:
            """Replaces scikit-learn's mixin in versions without callbacks."""

        def with_callbacks(method: Method) -> Method:
            """The method unchanged."""
            return method


__all__ = ["CallbackSupportMixin", "Progress", "with_callbacks"]


class Progress:
    """Informs the callbacks of an estimator when a stage of its fit begins and ends."""

    def __init__(self, estimator: Any, X: Any, y: Any, n_stages: int) -> None:
        self.estimator = estimator
        self.data = {"X": X, "y": y}
        self.context: Any = None
        if hasattr(estimator, "_init_callback_context"):
            self.context = estimator._init_callback_context(max_subtasks=n_stages)
            self.context.call_on_fit_task_begin(estimator=estimator, **self.data)

    @contextmanager
    def stage(self, name: str) -> Iterator[Callable[[], None]]:
        """A stage of the fit; it yields a function to be called after each step."""
        if self.context is None:
            yield lambda: None
            return
        stage = self.context.subcontext(task_name=name, max_subtasks=None)
        stage.call_on_fit_task_begin(estimator=self.estimator)

        def step() -> None:
            inner = stage.subcontext(task_name=f"{name} step")
            inner.call_on_fit_task_begin(estimator=self.estimator)
            inner.call_on_fit_task_end(estimator=self.estimator)

        yield step
        stage.call_on_fit_task_end(estimator=self.estimator)

    def end(self) -> None:
        """Informs the callbacks that the fit has ended."""
        if self.context is not None:
            self.context.call_on_fit_task_end(estimator=self.estimator, **self.data)
