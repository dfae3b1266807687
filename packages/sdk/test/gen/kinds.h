enum mode { MODE_SLOW, MODE_FAST = 7 };
