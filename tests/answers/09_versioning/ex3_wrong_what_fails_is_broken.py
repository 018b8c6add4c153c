# rejected by: ex3-harmless
def broken(messages, old, new):
    pairs = zip(run(old, messages), run(new, messages))
    return {after["id"] for before, after in pairs if not fine(before, after)}


def fine(before, after):
    return (
        after["state"] == "SUCCESS"
        and before["charges"] == after["charges"]
        and sorted(m["to"] for m in before["mails"]) == sorted(m["to"] for m in after["mails"])
        and set(before["result"] or ()) <= set(after["result"] or ())
    )
