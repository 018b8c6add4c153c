import subprocess

from atleastonce.shop.models import Tally

SETTINGS: dict[str, object] = {"worker_max_tasks_per_child": 9}


@app.task
def total(path: str) -> None:
    code = r"""{split($2,a,"."); s[$1]+=a[1]*100+a[2]} END{for(k in s) printf "%s %d\n",k,s[k]}"""
    out = subprocess.run(["awk", code, path], capture_output=True, text=True, check=True).stdout
    for line in out.splitlines():
        key, cents = line.split()
        Tally.objects.create(key=key, count=int(cents))
