#pragma D option amin=Private/Private/Common
fbt:::entry { }
