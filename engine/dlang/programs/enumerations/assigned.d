enum e { A };
BEGIN { A = 1; }
