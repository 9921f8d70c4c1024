#pragma D option nosuch

BEGIN { exit(0); }
