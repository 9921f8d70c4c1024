int a[3][int];
BEGIN { }
