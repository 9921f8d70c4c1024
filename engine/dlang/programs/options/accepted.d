#pragma D option bufresize=auto
#pragma D option quietresize
#pragma D option droptags
#pragma D option linkmode=dynamic
BEGIN { exit(0); }
