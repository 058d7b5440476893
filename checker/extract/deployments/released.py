"""``Release``: one chart or overlay of the repository as something deploys it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from checker.extract.deployments.overlays import LATER, documents, merged
from checker.model.foreign_documents import table_in


@dataclass(frozen=True, slots=True, kw_only=True)
class Release:
    """One chart or overlay, by its folder, as a resource deploys it. ``path`` is the file of that resource."""

    name: str
    path: str
    folder: str
    value_files: tuple[str, ...] = ()
    parameter_files: tuple[str, ...] = ()
    """Files whose content a set of applications gives to its template."""
    values: Mapping[str, Any] = field(default_factory=dict)
    kustomize: Mapping[str, Any] = field(default_factory=dict)
    outside: tuple[str, ...] = ()
    """What is not in the repository and may give any value but those of ``values``: value files, config maps."""
    without_missing: bool = False
    """Whether value files that are not there are left out."""
    exclusive: bool = True
    """Whether value files of the chart's own that no release names deploy nothing."""

    @property
    def files(self) -> tuple[str, ...]:
        """Every file that says with which values it is deployed, beside the chart's own."""
        return (self.path, *self.value_files, *self.parameter_files)

    def over(self, common: Mapping[str, Any], texts: Mapping[str, str]) -> Mapping[str, Any]:
        """The values of the chart, whose own are ``common``, with what the release gives on top."""
        return table_in(merged(self._below(common, texts), self.values))

    def unsure(self, common: Mapping[str, Any], texts: Mapping[str, str]) -> Mapping[str, Any] | None:
        """The same where nothing is known of what is given from outside; None where nothing is."""
        return table_in(merged(not_known(self._below(common, texts)), self.values)) if self.outside else None

    def _below(self, common: Mapping[str, Any], texts: Mapping[str, str]) -> Any:
        result: Any = common
        for path in self.value_files:
            result = merged(result, table_in(next(iter(documents(texts.get(path, ""))), None)))
        return result


def not_known(values: Any) -> Any:
    """Values of which only the names are known."""
    return {key: not_known(value) for key, value in values.items()} if isinstance(values, dict) else LATER
