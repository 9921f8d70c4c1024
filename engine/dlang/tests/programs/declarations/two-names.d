int x y;
BEGIN { }
