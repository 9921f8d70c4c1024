#pragma D attributes Stable/Stable/Common provider fbt nosuch
BEGIN { }
