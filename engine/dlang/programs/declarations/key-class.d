int a[self int];
BEGIN { }
