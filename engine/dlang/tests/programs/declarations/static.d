static int x;
BEGIN { }
