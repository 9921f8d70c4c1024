int a[pid];
BEGIN { }
