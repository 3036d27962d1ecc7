"""How do rows become a profile? (Arrow arrays in, profiles out, no JVM.)"""
