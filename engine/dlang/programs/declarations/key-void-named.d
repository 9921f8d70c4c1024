int a[int x, void y];
BEGIN { }
