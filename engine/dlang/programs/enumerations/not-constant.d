enum e { A = pid };
BEGIN { }
