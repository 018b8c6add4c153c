def broken(messages: list[str], old: str, new: str) -> set[str]:
    before, after = run(old, messages), run(new, messages)
    for one, other in zip(before, after):
        if isinstance(one["result"], dict) and isinstance(other["result"], dict):
            both = one["result"].keys() & other["result"].keys()
            other["result"] = {key: other["result"][key] for key in both}
    return {one["id"] for one, other in zip(before, after) if print_of(one) != print_of(other)}


def print_of(seen):
    charges = Counter((charge["customer"], charge["amount"]) for charge in seen["charges"])
    mails = Counter((mail["to"], mail["subject"]) for mail in seen["mails"])
    return seen["state"], charges, mails, json.dumps(seen["result"], sort_keys=True)
