from ..constants import PREFIX


def clean(stream, *, uid, times=1, **options):
    for number in range(times):
        stream = stream.filter(lambda x: x is not None).name(f"{PREFIX} clean {number}").uid(f"{uid}-{number}")
    return stream
