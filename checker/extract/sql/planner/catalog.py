"""A catalog in memory whose tables find their connector with us, whatever their ``'connector'`` says.

``FactoryUtil`` asks the catalog of a table for its factory before it looks for one on the class path.
"""

from __future__ import annotations

from typing import Any

from checker.extract.sql.planner.jvm import java

DATABASE = "default"


def stand_in_catalog(name: str, database: str, factory: Any) -> Any:
    """An empty catalog; every table in it is made by ``factory``."""
    import jpype

    memory = java("table.catalog.GenericInMemoryCatalog")(name, database)
    optional = java("java.util.Optional").of(factory)

    def invoke(_proxy: Any, method: Any, arguments: Any) -> Any:
        called = str(method.getName())
        if called == "getFactory":
            return optional
        if called == "supportsManagedTable":  # a table without a connector is its catalog's own
            return False
        if called in ("getTableFactory", "getFunctionDefinitionFactory"):
            return java("java.util.Optional").empty()
        try:
            return method.invoke(memory, arguments)
        except jpype.JException as error:
            raise error.getCause() or error from None

    handler = jpype.JProxy("java.lang.reflect.InvocationHandler", dict={"invoke": invoke})
    catalog = java("table.catalog.Catalog").class_
    interfaces = jpype.JArray(java("java.lang.Class"))([catalog])
    return java("java.lang.reflect.Proxy").newProxyInstance(catalog.getClassLoader(), interfaces, handler)
