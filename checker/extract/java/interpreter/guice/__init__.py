"""Guice: modules that bind types, and the injector that makes objects of them.

In: calls of modules, binders and injectors. Out: the bound objects, or None where Guice's answer is not known.
Called by the resolvers. Bindings of ``bind``, ``bindConstant``, ``Names.bindProperties``, ``@Provides``, providers and
classes that Guice makes without any are followed. Private modules, multibinders and interceptors are not.
"""
