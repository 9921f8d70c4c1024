typedef foo bar;
BEGIN { }
