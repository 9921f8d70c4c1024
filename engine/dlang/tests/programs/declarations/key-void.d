int a[void];
BEGIN { }
