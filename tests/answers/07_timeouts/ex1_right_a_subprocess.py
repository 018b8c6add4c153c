import subprocess
import sys

CODE = """
import sys, urllib.request
with urllib.request.urlopen(sys.argv[1]) as found:
    if found.status != 200:
        raise OSError(found.status)
    sys.stdout.buffer.write(found.read())
"""


def download(url: str, seconds: float) -> bytes:
    return subprocess.run([sys.executable, "-c", CODE, url], timeout=seconds, check=True, capture_output=True).stdout
