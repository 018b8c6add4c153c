# rejected by: ex1-read
app.conf.result_failure_expires = 8 * 86_400


def kept(seconds: int) -> dict[str, object]:
    return {"expires": seconds} if seconds else {"ignore_result": True, "store_errors_even_if_ignored": True}
