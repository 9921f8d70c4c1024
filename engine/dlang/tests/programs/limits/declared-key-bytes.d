int a[string, string, string, string, string];
BEGIN { }
