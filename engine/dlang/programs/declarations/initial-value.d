int x = 3;
BEGIN { }
