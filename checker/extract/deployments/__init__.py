"""What is really deployed: the arguments, configuration and versions that manifests and scripts give to pipelines.

In: the files of a revision. Out: ``Deployment`` records, and pipelines completed by them. Called while a ``check`` or
``gate`` is planned, after discovery.
"""
