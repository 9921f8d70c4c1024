#pragma D option strsize=many

BEGIN { exit(0); }
