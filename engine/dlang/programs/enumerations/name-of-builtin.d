enum e { pid };
BEGIN { }
