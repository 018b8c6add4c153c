"""At Least Once: the ten ways background tasks fail, struck on demand."""
