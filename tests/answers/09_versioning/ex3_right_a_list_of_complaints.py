def complaints(before, after):
    if before["state"] != after["state"]:
        yield "ends otherwise"
    for kind, names in {"charges": ("customer", "amount"), "mails": ("to", "subject")}.items():
        left = [[effect[name] for name in names] for effect in after[kind]]
        for effect in before[kind]:
            wanted = [effect[name] for name in names]
            if wanted in left:
                left.remove(wanted)
            else:
                yield f"missing: {wanted}"
        if left:
            yield f"more: {left}"
    old, new = before["result"], after["result"]
    if not isinstance(old, dict):
        if old != new:
            yield "another result"
        return
    for key, value in old.items():
        if not isinstance(new, dict) or key not in new or new[key] != value:
            yield f"no {key} any more"


def broken(messages: list[str], old: str, new: str) -> set[str]:
    march = {seen["id"]: seen for seen in run(old, messages)}
    candidate = {seen["id"]: seen for seen in run(new, messages)}
    return {key for key in march if list(complaints(march[key], candidate[key]))}
