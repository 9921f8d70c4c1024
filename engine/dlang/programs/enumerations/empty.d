enum e { };
BEGIN { }
