# rejected by: ex1-hits
from functools import lru_cache

from celery.signals import task_prerun
from files import read

get_file = lru_cache(maxsize=None)(read)


@task_prerun.connect
def forget(**_):
    get_file.cache_clear()
