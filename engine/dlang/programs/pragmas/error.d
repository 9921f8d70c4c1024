#pragma D error no good "at all"
BEGIN { }
