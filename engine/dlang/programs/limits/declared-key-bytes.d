#pragma D option strsize=2k
int a[string, string, string, string, string];
BEGIN { }
