"""A catalog in memory whose tables find their connector with us, whatever their ``'connector'`` says.

``FactoryUtil`` asks the catalog of a table for its factory before it looks for one on the class path.
"""

from __future__ import annotations

from typing import Any

from checker.extract.runtime.capture.jvm import java

DATABASE = "default"


_OF_DATABASES = ("databaseExists", "getDatabase", "listTables", "listViews")


def stand_in_catalog(name: str, database: str, factory: Any, *, external: bool = False) -> Any:
    """An empty catalog; every table in it is made by ``factory``.

    An ``external`` one has every database that is asked for: a script does not say which ones it really has.
    """
    import jpype

    memory = java("table.catalog.GenericInMemoryCatalog")(name, database)
    optional = java("java.util.Optional").of(factory)

    def invoke(_proxy: Any, method: Any, arguments: Any) -> Any:
        called = str(method.getName())
        asked = _database(called, arguments) if external else None
        if asked is not None and not memory.databaseExists(asked):
            memory.createDatabase(
                asked, java("table.catalog.CatalogDatabaseImpl")(java("java.util.HashMap")(), ""), True
            )
        if called == "createDatabase" and external:
            return memory.createDatabase(arguments[0], arguments[1], True)
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


def _database(called: str, arguments: Any) -> str | None:
    """The database that a call of a catalog is about."""
    if not arguments:
        return None
    if called in _OF_DATABASES:
        return str(arguments[0])
    path = arguments[0]
    return str(path.getDatabaseName()) if isinstance(path, java("table.catalog.ObjectPath")) else None
