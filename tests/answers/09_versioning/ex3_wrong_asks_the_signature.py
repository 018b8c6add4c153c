# rejected by: ex3-five
import base64
import importlib
import inspect


def broken(messages, old, new):
    module, found = importlib.import_module(new), set()
    known = {task.name: task for task in vars(module).values() if hasattr(task, "delay")}
    for message in map(json.loads, messages):
        headers = message["headers"]
        args, kwargs, _ = json.loads(base64.b64decode(message["body"]))
        try:
            inspect.signature(known[headers["task"]].run).bind(*args, **kwargs)
        except (TypeError, KeyError):
            found.add(headers["id"])
    return found
