enum e { A, A };
BEGIN { }
