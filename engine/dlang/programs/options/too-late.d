#pragma D option cpp
BEGIN { exit(0); }
