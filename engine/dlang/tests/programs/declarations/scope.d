int a`b;
BEGIN { }
