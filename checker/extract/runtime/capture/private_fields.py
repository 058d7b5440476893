"""Fields that Flink's classes keep to themselves."""

from __future__ import annotations

from typing import Any


def private(target: Any, name: str) -> Any:
    """The value of a private field, looked up through the superclasses; None where there is no such field."""
    cls = target.getClass()
    while cls is not None:
        for field in cls.getDeclaredFields():
            if str(field.getName()) == name:
                field.setAccessible(True)
                return field.get(target)
        cls = cls.getSuperclass()
    return None
