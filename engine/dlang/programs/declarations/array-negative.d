int a[-1];
BEGIN { }
