BEGIN { x["a", 1] = 1; x["a", "b"] = 1; }
