#pragma D option empty
/* no clause */
